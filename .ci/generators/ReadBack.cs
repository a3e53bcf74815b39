using System;
using System.IO;
using System.Reflection;
using System.Text;
using Newtonsoft.Json;

/// Reads lines of classes.py with classes of a library, and writes each value back, or "!" and why not.
public static class ReadBack
{
    public static void Main(string[] arguments)
    {
        var library = Assembly.LoadFrom(arguments[0]);
        var converter = library.GetType(arguments[1] + ".Converter", true);
        var settings = (JsonSerializerSettings)converter.GetField("Settings").GetValue(null);
        var utf8 = new UTF8Encoding(false);
        var read = new StreamReader(Console.OpenStandardInput(), utf8);
        var write = new StreamWriter(Console.OpenStandardOutput(), utf8);
        for (string line; (line = read.ReadLine()) != null; )
        {
            var parts = line.Split(new[] { '\t' }, 3);
            var type = library.GetType(arguments[1] + "." + parts[0], true);
            string written;
            try
            {
                written = JsonConvert.SerializeObject(JsonConvert.DeserializeObject(parts[2], type, settings), settings);
            }
            catch (Exception error)
            {
                written = "!" + error.Message.Replace('\n', ' ');
            }
            write.Write(written + "\n");
        }
        write.Flush();
    }
}
