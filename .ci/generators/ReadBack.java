import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads lines of classes.py with classes of a package, and writes each value back, or "!" and why not. */
public class ReadBack {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper()
            .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)
            .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line; (line = in.readLine()) != null; ) {
            String[] parts = line.split("\t", 3);
            Class<?> type = Class.forName(arguments[0] + "." + parts[0]);
            String written;
            try {
                written = mapper.writeValueAsString(mapper.readValue(parts[2], type));
            } catch (JsonProcessingException error) {
                written = "!" + error.getMessage().replace('\n', ' ');
            }
            out.print(written + "\n");
        }
        out.flush();
    }
}
